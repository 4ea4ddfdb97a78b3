import { describe, expect, it } from 'vitest';
import { isConnectFailure } from '../../src/http/connect-failure.js';

const error = (fields: object, message = '') => Object.assign(new Error(message), fields);
const refused = error({ code: 'ECONNREFUSED', syscall: 'connect' });
const wrapped = (inner: unknown, times: number): unknown =>
  times === 0 ? inner : new Error('wrapped', { cause: wrapped(inner, times - 1) });

describe('no connection was opened', () => {
  it.each([
    ['a refused connect', refused],
    ['a failed bind', error({ code: 'EADDRNOTAVAIL', syscall: 'bind' })],
    ['an unknown host', error({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
    ['a DNS query of c-ares', error({ code: 'ETIMEOUT', syscall: 'queryAaaa' })],
    ['a connect time-out of undici', error({ code: 'UND_ERR_CONNECT_TIMEOUT' })],
    ['a self-signed certificate', error({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })],
    ['a certificate that cannot be verified', error({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })],
    ['a port without TLS', error({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' })],
    [
      'a TLS handshake that was reset',
      error(
        { code: 'ECONNRESET' },
        'Client network socket disconnected before secure TLS connection was established',
      ),
    ],
    ['a refused connect as the cause', wrapped(refused, 4)],
    ['several refused connects', error({ code: 'ECONNREFUSED', errors: [refused, refused] })],
  ])('after %s', (_what, failure) => {
    expect(isConnectFailure(failure)).toBe(true);
  });
});

describe('nothing is proved', () => {
  it.each([
    ['undefined', undefined],
    ['a string', 'ECONNREFUSED'],
    ['an error without a code', new Error('connect ECONNREFUSED')],
    ['a numeric code', error({ code: 111 })],
    ['a read from an open connection', error({ code: 'ECONNREFUSED', syscall: 'read' })],
    ['a code without a system call', error({ code: 'EHOSTUNREACH' })],
    ['a reset', error({ code: 'ECONNRESET' }, 'read ECONNRESET')],
    ['an alert after the handshake', error({ code: 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR' })],
    ['a refused connect five levels deep', wrapped(refused, 5)],
    ['one attempt of several', error({ errors: [refused, error({ code: 'EPIPE', syscall: 'write' })] })],
    ['no attempt at all', error({ code: 'ECONNREFUSED', errors: [] })],
  ])('by %s', (_what, failure) => {
    expect(isConnectFailure(failure)).toBe(false);
  });

  it('by an error that is its own cause', () => {
    const circular = new Error('circular');
    circular.cause = circular;
    expect(isConnectFailure(circular)).toBe(false);
  });
});
