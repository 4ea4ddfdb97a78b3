import { createServer } from 'node:http';
import {
  closeOnSignal,
  type EventPoller,
  livenessHandler,
  nodeHandler,
  readinessHandler,
} from 'opendelivery-client';

declare const poller: EventPoller;

const server = createServer(nodeHandler(poller));
server.on('request', livenessHandler(poller));
server.on('request', readinessHandler(poller));
closeOnSignal(poller, server);
