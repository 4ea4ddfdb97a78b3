const { flow } = require('./flow.cjs');

flow(require('opendelivery-client'), require('opendelivery-client/testing'));
