/** The smoke test as a Worker; each request to it is one run. */
import * as client from 'opendelivery-client';
import { smoke } from './smoke.mjs';

export default {
  async fetch(request) {
    try {
      return Response.json(await smoke(client, await request.json()));
    } catch (error) {
      return new Response(error.stack, { status: 500 });
    }
  },
};
