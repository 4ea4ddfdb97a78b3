import type { Attributes } from '@opentelemetry/api';

/** The attributes that the semantic conventions require of spans and metrics of messaging. */
export const messaging = (name: 'poll' | 'process' | 'acknowledge'): Attributes => ({
  'messaging.system': 'opendelivery',
  'messaging.destination.name': 'events',
  'messaging.operation.name': name,
  'messaging.operation.type': TYPES[name],
});

const TYPES = { poll: 'receive', process: 'process', acknowledge: 'settle' } as const;
