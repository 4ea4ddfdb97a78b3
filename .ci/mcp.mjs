/** `opendelivery mcp` of the packed package: without the MCP SDK it says what to install, with it the guides are there. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifest, run } from './workshop.mjs';

const SDK = '@modelcontextprotocol/sdk';
const COMMAND = `node_modules/${manifest.name}/${manifest.bin.opendelivery}`;

const ASSISTANT = `
import { Client } from '${SDK}/client/index.js';
import { StdioClientTransport } from '${SDK}/client/stdio.js';
const client = new Client({ name: 'gate', version: '1' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: ['${COMMAND}', 'mcp'] }));
const uris = (await client.listResources()).resources.map(({ uri }) => uri);
for (const uri of uris) await client.readResource({ uri });
const { content } = await client.callTool({ name: 'create_order', arguments: {} });
console.log(JSON.stringify({ guides: uris.length, order: JSON.parse(content[0].text).orderId }));
await client.close();
`;

export async function mcp(shop) {
  const plain = await shop.project('plain');
  const absent = await run(process.execPath, [COMMAND, 'mcp'], { cwd: plain }).catch(String);
  if (!absent.includes(`npm install --save-dev ${SDK}@1\n`)) {
    throw new Error(`opendelivery mcp without the SDK does not say what to install:\n${absent}`);
  }
  const project = await shop.project('mcp', `${SDK}@${manifest.peerDependencies[SDK]}`);
  await writeFile(join(project, 'assistant.mjs'), ASSISTANT);
  const { guides, order } = JSON.parse(await run(process.execPath, ['assistant.mjs'], { cwd: project }));
  if (guides < 50 || !order) throw new Error(`opendelivery mcp has ${guides} guides and the order ${order}`);
  console.log(`opendelivery mcp: says what to install; ${guides} guides and a mock hub over stdio`);
}
