const { flow, state } = require('./flow.cjs');

const client = require('opendelivery-client');

flow(client, require('opendelivery-client/schemas'), require('opendelivery-client/testing')).then(() =>
  state(client, require('opendelivery-client/redis'), require('opendelivery-client/sql')),
);
