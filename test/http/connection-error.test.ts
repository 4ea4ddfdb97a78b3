import { describe, expect, it } from 'vitest';
import { connectionErrorOf } from '../../src/http/connection-error.js';
import { ExchangeFailure } from '../../src/http/exchange-failure.js';
import { Redactor } from '../../src/secrets/redactor.js';

const system = (syscall: string, code: string, message = `${syscall} ${code}`) =>
  Object.assign(new Error(message), { syscall, code });

function errorOf(cause: unknown, redactor = new Redactor()) {
  return connectionErrorOf('polling', ExchangeFailure.ofDispatcher(cause, false), redactor);
}

describe('a network failure', () => {
  it.each([
    [
      system('connect', 'ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:8080'),
      'nothing accepts connections there (connect ECONNREFUSED 127.0.0.1:8080); check baseUrl, and whether the hub is running',
    ],
    [
      system('getaddrinfo', 'ENOTFOUND', 'getaddrinfo ENOTFOUND hub.example'),
      'there is no host of that name (getaddrinfo ENOTFOUND hub.example); check baseUrl',
    ],
    [
      system('getaddrinfo', 'EAI_AGAIN'),
      'the name of the host could not be looked up (getaddrinfo EAI_AGAIN); check the network',
    ],
    [
      system('connect', 'ENETUNREACH'),
      'there is no route to the host (connect ENETUNREACH); check baseUrl and the network',
    ],
    [
      system('write', 'EPROTO', 'write EPROTO 40D7:error:0A00010B:SSL routines::wrong version number:c:354:'),
      'that port does not speak TLS; check baseUrl: port, http or https',
    ],
    [
      Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' }),
      'the certificate of the hub is not accepted (certificate has expired); check baseUrl, or ask the operator',
    ],
    [system('read', 'ECONNRESET'), 'the connection broke (read ECONNRESET); try again later'],
    [
      Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
      'the host does not answer (Connect Timeout Error); check baseUrl and the network',
    ],
    [
      new AggregateError([system('connect', 'ECONNREFUSED')]),
      'nothing accepts connections there (ECONNREFUSED); check baseUrl, and whether the hub is running',
    ],
    [system('read', 'EIO'), 'read EIO; check baseUrl and the network'],
  ])('%s has a meaning and a remedy', (cause, message) => {
    expect(errorOf(cause)).toMatchObject({ message: `polling: ${message}`, retryable: true });
  });

  it('keeps its cause, and masks the secrets in both', () => {
    const redactor = new Redactor();
    redactor.add('an-api-key');
    const error = errorOf(system('read', 'ECONNRESET', 'reset of an-api-key'), redactor);
    expect(error.message).toBe('polling: the connection broke (reset of [secret]); try again later');
    expect(error.cause).toMatchObject({ code: 'ECONNRESET', message: 'reset of [secret]' });
  });
});

it('a failure in this process has only its own message', () => {
  const bug = new TypeError("Cannot read properties of undefined (reading 'timeout')");
  expect(errorOf(bug)).toMatchObject({ message: `polling: ${bug.message}`, retryable: false });
});

it('a command has an unknown outcome, unless no connection was opened', () => {
  const outcomeAfter = (cause: unknown) =>
    connectionErrorOf('orderStatus', ExchangeFailure.ofDispatcher(cause, false), new Redactor()).outcome;
  expect(outcomeAfter(system('read', 'ECONNRESET'))).toBe('unknown');
  expect(outcomeAfter(system('connect', 'ECONNREFUSED'))).toBeUndefined();
});
