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
      'the connection was refused (connect ECONNREFUSED 127.0.0.1:8080); start the hub, or check baseUrl',
    ],
    [
      system('getaddrinfo', 'ENOTFOUND', 'getaddrinfo ENOTFOUND hub.example'),
      'the host name does not exist (getaddrinfo ENOTFOUND hub.example); check baseUrl',
    ],
    [
      system('getaddrinfo', 'EAI_AGAIN'),
      'the host name could not be resolved (getaddrinfo EAI_AGAIN); check the network',
    ],
    [
      system('connect', 'ENETUNREACH'),
      'there is no route to the host (connect ENETUNREACH); check the network and baseUrl',
    ],
    [
      system('write', 'EPROTO', 'write EPROTO 40D7:error:0A00010B:SSL routines::wrong version number:c:354:'),
      'the port does not use TLS; check the port and the scheme (http or https) of baseUrl',
    ],
    [
      Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' }),
      "the hub's certificate is not trusted (certificate has expired); check baseUrl, or ask the hub's operator",
    ],
    [system('read', 'ECONNRESET'), 'the connection broke (read ECONNRESET); try again later'],
    [
      Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
      'the host does not respond (Connect Timeout Error); check the network and baseUrl',
    ],
    [
      new AggregateError([system('connect', 'ECONNREFUSED')]),
      'the connection was refused (ECONNREFUSED); start the hub, or check baseUrl',
    ],
    [system('read', 'EIO'), 'read EIO; check the network and baseUrl'],
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
