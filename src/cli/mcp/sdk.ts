import { ConfigurationError } from '../../errors/index.js';

/** What the server needs of `@modelcontextprotocol/sdk`, an optional peer of this package. */
export type Sdk = Awaited<ReturnType<typeof load>>;

/** Of `import`, and of the `require` that the packed command has instead. */
const ABSENT = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/** @throws {ConfigurationError} the package is not installed, or cannot be loaded. */
export async function loadSdk(): Promise<Sdk> {
  try {
    return await load();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const why = ABSENT.includes(code) ? '' : ` (it is installed and fails: ${message.split('\n', 1)[0]})`;
    throw new ConfigurationError(
      'opendelivery mcp',
      `needs another package: npm install --save-dev @modelcontextprotocol/sdk@1${why}`,
      { cause: error },
    );
  }
}

async function load() {
  const [{ Server }, { StdioServerTransport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/stdio.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  return { Server, StdioServerTransport, types };
}
