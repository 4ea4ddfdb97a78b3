const { mocks } = require('./flow.cjs');

mocks(
  require('opendelivery-client'),
  require('opendelivery-client/testing'),
  require('msw/node'),
  require('undici-of-the-app'),
);
