import 'reflect-metadata';
import type { INestApplication, LoggerService, Provider, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { OpenDeliveryModule, type OpenDeliveryModuleOptions } from 'opendelivery-client/nestjs';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { onTestFinished } from 'vitest';
import { hubWith, stores } from '../fleet/support.js';

export const PLATFORMS = ['Express', 'Fastify'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** A hub of one store and a hub of three, on one clock; options for either. */
export function nestStage() {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const all = stores(3);
  const ofMany = hubWith(all, { clock });
  return {
    clock,
    mock,
    ofMany,
    one: { baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock },
    many: { baseUrl: ofMany.baseUrl, fetch: ofMany.fetch, clock, stores: all },
  };
}

/** What the application logs, without the lines of Nest itself. */
export class Log implements LoggerService {
  readonly lines: string[] = [];
  /** Also those of Nest. */
  readonly all: string[] = [];
  readonly #write =
    (level: string) =>
    (message: unknown, ...others: unknown[]) => {
      this.all.push(String(message));
      if (others.at(-1) === 'OpenDelivery') this.lines.push(`${level}: ${message}`);
    };
  readonly log = this.#write('log');
  readonly error = this.#write('error');
  readonly warn = this.#write('warn');
  readonly debug = this.#write('debug');
}

/** Starts an application with these providers; it is closed when the test is over. */
export async function start<Tx = never>(
  options: OpenDeliveryModuleOptions<Tx> | ReturnType<typeof OpenDeliveryModule.forRootAsync>,
  providers: Provider[],
  { platform = 'Express', controllers = [] }: { platform?: Platform; controllers?: Type[] } = {},
) {
  const imports = ['module' in options ? options : OpenDeliveryModule.forRoot(options)];
  const logger = new Log();
  class AppModule {}
  const root = { module: AppModule, imports, providers, controllers };
  const adapter = platform === 'Fastify' ? [new FastifyAdapter()] : [];
  const app: INestApplication = await NestFactory.create(root, ...(adapter as []), {
    logger,
    abortOnError: false,
  });
  onTestFinished(() => app.close().catch(() => {}));
  await app.listen(0, '127.0.0.1');
  return { app, logger, url: await app.getUrl() };
}
