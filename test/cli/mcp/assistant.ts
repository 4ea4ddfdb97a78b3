import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from 'opendelivery-client';
import { onTestFinished } from 'vitest';
import { loadSdk } from '../../../src/cli/mcp/sdk.js';
import { offering } from '../../../src/cli/mcp/serve.js';
import { connectServer } from '../../../src/cli/mcp/server.js';

/** What a coding assistant has: the SDK's own client, and the result of a tool as text or JSON. */
export class Assistant {
  readonly client = new Client({ name: 'test', version: '1' });

  async call(name: string, args: Record<string, unknown> = {}): Promise<{ text: string; isError: boolean }> {
    const result = (await this.client.callTool({ name, arguments: args })) as CallToolResult;
    const [content] = result.content;
    return { text: content?.type === 'text' ? content.text : '', isError: result.isError === true };
  }

  /** @throws {Error} the tool has failed. */
  async result<Result>(name: string, args: Record<string, unknown> = {}): Promise<Result> {
    const { text, isError } = await this.call(name, args);
    if (isError) throw new Error(text);
    return JSON.parse(text) as Result;
  }

  async text(uri: string): Promise<string> {
    const { contents } = await this.client.readResource({ uri });
    const [content] = contents;
    return content && 'text' in content ? content.text : '';
  }
}

/** An assistant, and the server of `opendelivery mcp` in this process. */
export async function assistantInMemory(clock: Clock, url?: string): Promise<Assistant> {
  const [ofClient, ofServer] = InMemoryTransport.createLinkedPair();
  const offer = await offering(clock, { port: 0, ...(url !== undefined && { url }) }, '1.2.3');
  const close = await connectServer(await loadSdk(), offer, ofServer as Transport);
  const assistant = new Assistant();
  await assistant.client.connect(ofClient as Transport);
  onTestFinished(async () => {
    await close();
    await offer[Symbol.asyncDispose]();
  });
  return assistant;
}
