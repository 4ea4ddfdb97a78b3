import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { postgresState } from 'opendelivery-client/sql';
import { Pool } from 'pg';
import { ShopModule } from './shop.module';

const { HUB_BASE_URL = '', HUB_CLIENT_ID = '', HUB_CLIENT_SECRET = '', PORT = '3000' } = process.env;

async function main(): Promise<void> {
  const pool = new Pool({ connectionString: process.env.DATABASE_URL });
  const state = postgresState(pool);
  await state.migrate();
  const hub = { baseUrl: HUB_BASE_URL, clientId: HUB_CLIENT_ID, clientSecret: HUB_CLIENT_SECRET, state };
  const app = await NestFactory.create(ShopModule.forRoot(hub, pool));
  app.enableShutdownHooks(); // SIGTERM: the listeners end, then the servers, then the pool
  await app.listen(Number(PORT));
}

void main();
