import { ConnectionError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { clientOf, failingAgent, failure } from './support.js';

const system = (syscall: string, code: string, message = `${syscall} ${code}`) =>
  Object.assign(new Error(message), { syscall, code });

/** Code and message of an error and of its causes. */
const chainOf = (error: unknown): unknown[] =>
  error instanceof Error ? [[Reflect.get(error, 'code'), error.message], ...chainOf(error.cause)] : [];

/** The error of a call whose connection fails like that. */
const errorOf = (cause: Error) =>
  failure(
    clientOf('https://hub.example', { dispatcher: failingAgent(cause) }).hub.merchant.get(),
    ConnectionError,
  );

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
      "the hub's certificate is not trusted (certificate has expired); check baseUrl, or set NODE_EXTRA_CA_CERTS",
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
  ])('%s has a meaning and a remedy', async (cause, message) => {
    expect(await errorOf(cause)).toMatchObject({ message: `merchant: ${message}`, retryable: true });
  });

  it('keeps its cause, and masks the secrets in both', async () => {
    const error = await errorOf(system('read', 'ECONNRESET', 'reset of mock-api-key'));
    expect(error.message).toBe('merchant: the connection broke (reset of [secret]); try again later');
    expect(JSON.stringify(chainOf(error.cause))).not.toContain('mock-api-key');
    expect(chainOf(error.cause)).toContainEqual(['ECONNRESET', 'reset of [secret]']);
  });
});
