import { Command, Option } from 'commander';
import { PORT } from './mock/server-options.js';
import { addressFrom } from './parse-option.js';
import type { Terminal } from './terminal.js';

export interface McpOptions {
  readonly port: number;
  /** The address of a running mock hub; absent: the command starts one. */
  readonly url?: string;
}

export function mcpCommand(terminal: Terminal, version: string): Command {
  return new Command('mcp')
    .description(
      'Gives a coding assistant a mock hub, the guides and the doctor, as an MCP server over stdio.',
    )
    .option('--port <number>', 'port of its mock hub; 0 picks a free port', PORT, 0)
    .addOption(
      new Option('--url <url>', 'use the mock hub that runs at this address')
        .argParser(addressFrom('http://127.0.0.1:4010'))
        .conflicts('port'),
    )
    .action(async (options: McpOptions) => {
      // Loads zod and the MCP SDK, which the other commands do not need.
      const { serve } = await import('./mcp/serve.js');
      await serve(terminal, options, version);
    });
}
