import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describeError } from '../describe-error.js';
import { type Guide, readDocument } from './guides.js';
import type { Sdk } from './sdk.js';
import type { Tool } from './tool.js';

const INSTRUCTIONS =
  'For applications that use opendelivery-client, or connect to an OpenDelivery hub. Read the resource llms.txt first: ' +
  'it has the promises, the usual mistakes and all guides. The tool mock_hub returns the address and the credentials of ' +
  'a mock hub; let the application connect to it, create orders, and read the violations.';

/** Of a name that the assistant has sent, in an error. */
const MAX_NAME_LENGTH = 200;

export interface Served {
  readonly version: string;
  readonly tools: readonly Tool[];
  readonly guides: readonly Guide[];
}

/**
 * Serves tools and guides over a transport. Resolves to a function that ends it.
 *
 * The SDK's `McpServer` cannot publish our schemas (a field of an order can be any JSON value), and says of an
 * unknown key less than `parseInput`: so this is its `Server`.
 */
export async function connectServer(
  { Server, types }: Sdk,
  { version, tools, guides }: Served,
  transport: Transport,
): Promise<() => Promise<void>> {
  const server = new Server(
    { name: 'opendelivery', version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const invalid = (message: string) => new types.McpError(types.ErrorCode.InvalidParams, message);
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, does, input, isReadOnly = false, isOpenWorld = false }) => ({
      name,
      description: does,
      inputSchema: { ...input, type: 'object' as const },
      annotations: { readOnlyHint: isReadOnly, openWorldHint: isOpenWorld },
    })),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) {
      const names = tools.map(({ name }) => name).join(', ');
      throw invalid(`no tool is named '${params.name.slice(0, MAX_NAME_LENGTH)}'; the tools are ${names}`);
    }
    try {
      return { content: [textOf(await tool.run(params.arguments ?? {}))] };
    } catch (error) {
      // Not an error of the protocol: the assistant reads it, and can correct its input.
      return { content: [textOf(describeError(error))], isError: true };
    }
  });
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({
    resources: guides.map(({ uri, title, description }) => ({
      uri,
      name: title,
      mimeType: 'text/markdown',
      ...(description !== undefined && { description }),
    })),
  }));
  server.setRequestHandler(types.ReadResourceRequestSchema, ({ params: { uri } }) => {
    const guide = guides.find((each) => each.uri === uri);
    if (!guide)
      throw invalid(
        `no guide has the address '${uri.slice(0, MAX_NAME_LENGTH)}'; resources/list has all addresses`,
      );
    return { contents: [{ uri, mimeType: 'text/markdown', text: readDocument(guide.path) }] };
  });
  await server.connect(transport);
  return () => server.close();
}

const textOf = (result: unknown) => ({
  type: 'text' as const,
  text: typeof result === 'string' ? result : JSON.stringify(result, undefined, 2),
});
