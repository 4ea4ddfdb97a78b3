/** Starts a Postgres, prints the folder of its socket, and ends with its input. */
import { startPostgres } from '../test/state/postgres/start.js';

const server = await startPostgres();
console.log(server.address.host);
process.stdin.resume().on('end', () => server.close());
