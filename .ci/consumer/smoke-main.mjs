/** The smoke test on Node.js, Bun and Deno; it prints its results as JSON. */
import * as client from 'opendelivery-client';
import { smoke } from './smoke.mjs';

const { hub, directory } = JSON.parse(process.env.SMOKE);
const state = client.fileState(directory);
smoke(client, { ...hub, state, directory })
  .then(async (results) => {
    await state.close();
    console.log(JSON.stringify(results));
  })
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
