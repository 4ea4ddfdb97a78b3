const { flow, host, state } = require('./flow.cjs');

const client = require('opendelivery-client');

const testing = require('opendelivery-client/testing');

flow(client, require('opendelivery-client/schemas'), testing)
  .then(() => host(client, testing, require('opendelivery-client/hosts').food99))
  .then(() => state(client, require('opendelivery-client/redis'), require('opendelivery-client/sql')));
