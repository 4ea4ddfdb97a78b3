import { Command, CommanderError } from 'commander';
import { certifyCommand } from './certify.js';
import { describeError, describeUsageError, EXIT, EXIT_HELP, exitCodeOf } from './describe-error.js';
import { doctorCommand } from './doctor.js';
import { inboxCommand } from './inbox.js';
import { mcpCommand } from './mcp.js';
import { menuCommand } from './menu.js';
import { mockCommand } from './mock.js';
import { pollCommand } from './poll.js';
import { recordCommand } from './record.js';
import { paint, styled } from './styled.js';
import { type Io, Terminal } from './terminal.js';
import { tokenCommand } from './token.js';
import { topCommand } from './top.js';
import { triggerCommand } from './trigger.js';

/**
 * Runs one command line.
 *
 * @param argv - the arguments after the program's name.
 * @returns the exit code; see `EXIT`.
 */
export async function run(argv: readonly string[], io: Io, version: string): Promise<number> {
  const terminal = new Terminal(io);
  try {
    await createProgram(terminal, version).parseAsync(argv, { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    // `| head` has closed the pipe: that is not an error.
    if ((error as { code?: unknown }).code === 'EPIPE') return EXIT.done;
    terminal.note(styled`${paint('red', 'error')}: ${describeError(error)}`);
    return exitCodeOf(error);
  }
}

function createProgram(terminal: Terminal, version: string): Command {
  const program = new Command('opendelivery')
    .description('Talks to a hub of the OpenDelivery standard, or serves a mock hub.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('Use --help to see the commands and options.')
    .configureOutput({
      writeOut: (text) => terminal.verbatim('out', text),
      writeErr: (text) => terminal.verbatim('err', describeUsageError(text)),
    })
    .addHelpText('after', `\n${EXIT_HELP}`);
  const commands = [
    mockCommand(terminal),
    recordCommand(terminal),
    triggerCommand(terminal),
    pollCommand(terminal),
    tokenCommand(terminal),
    menuCommand(terminal),
    doctorCommand(terminal),
    certifyCommand(terminal),
    topCommand(terminal),
    inboxCommand(terminal),
    mcpCommand(terminal, version),
  ];
  for (const command of commands) program.addCommand(inheriting(command, program));
  return program;
}

/** A command, and those below it, with the settings of the program. */
function inheriting(command: Command, parent: Command): Command {
  for (const each of command.commands) inheriting(each, parent);
  return command.exitOverride().copyInheritedSettings(parent);
}
