import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { withConnection } from './connect.js';
import { doctor } from './doctor.js';
import { EXIT, EXIT_HELP, exitCodeOf } from './exit.js';
import { complaint, explained } from './explain.js';
import { menu } from './menu.js';
import { mock, SCRIPT_NAMES } from './mock.js';
import { poll } from './poll.js';
import { paint, styled } from './styled.js';
import { type Surroundings, Terminal } from './terminal.js';
import { token } from './token.js';

/**
 * Runs one command line.
 *
 * @param words - what stands after the program's name.
 * @returns the exit code; see `EXIT`.
 */
export async function run(words: readonly string[], around: Surroundings, version: string): Promise<number> {
  const terminal = new Terminal(around);
  const ended = { code: EXIT.done as number };
  try {
    await commands(terminal, version, ended).parseAsync(words, { from: 'user' });
    return ended.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    // `| head` has read enough, which is not a fault.
    if ((error as { code?: unknown }).code === 'EPIPE') return EXIT.done;
    terminal.remark(styled`${paint('red', 'error')}: ${explained(error)}`);
    return exitCodeOf(error);
  }
}

function commands(terminal: Terminal, version: string, ended: { code: number }): Command {
  const program = new Command('opendelivery')
    .description('Looks at a hub of the OpenDelivery standard, and stands in for one.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('Use --help to see the commands and options.')
    .configureOutput({
      writeOut: (text) => terminal.verbatim('out', text),
      writeErr: (text) => terminal.verbatim('err', complaint(text)),
    })
    .addHelpText('after', `\n${EXIT_HELP}`);

  program
    .command('mock')
    .description('serves a mock hub over HTTP, for applications in any language')
    .addOption(
      new Option('--port <number>', 'the port to listen on; 0 takes a free one')
        .default(4010)
        .argParser(port),
    )
    .addOption(
      new Option('--scale <factor>', 'how many times faster its clock runs').default(1).argParser(positive),
    )
    .addOption(new Option('--faults <rate>', 'share of requests that fail, 0 to 1').argParser(share))
    .option('--seed <seed>', 'the same seed makes the same faults', '1')
    .option('--store <file>', 'a merchant document, or { "stores": [...] }, as JSON')
    .addOption(new Option('--script <name>', 'creates orders by itself').choices(SCRIPT_NAMES))
    .action((options) => mock(terminal, options));

  withConnection(program.command('poll'))
    .description("follows a store's order events; acknowledges nothing without --acknowledge")
    .option('--acknowledge', 'acknowledge each event once its line is written; the hub then forgets it')
    .option('--once', 'one poll, then end')
    .option('--json', 'print one JSON document a line')
    .action((options) => poll(terminal, options));

  withConnection(program.command('token'))
    .description('checks the credentials with one token request; prints the expiry, never the token')
    .option('--json', 'print one JSON document')
    .action((options) => token(terminal, options));

  withConnection(program.command('menu'))
    .description("prints a store's menu as its customers see it: prices, savings, what is closed, issues")
    .option('--file <file>', 'a merchant document, instead of asking the hub')
    .option('--time-zone <zone>', "time zone of hours that have none (default: this machine's)")
    .option('--at <time>', 'an ISO 8601 instant (default: now)')
    .option('--json', 'print one JSON document')
    .option('--html [file]', 'one self-contained page, to the file or to stdout')
    .action((options) => menu(terminal, options));

  withConnection(program.command('doctor'))
    .description('tries each endpoint once, within the limits, and says what this hub does')
    .option('--read-only', 'leave out the two endpoints that write (they are tried with random ids)')
    .option('--json', 'print one JSON document')
    .action(async (options) => {
      ended.code = await doctor(terminal, options);
    });

  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program);
  return program;
}

function numberOf(text: string, holds: (value: number) => boolean, what: string): number {
  const value = Number(text);
  if (text.trim() !== '' && holds(value)) return value;
  throw new InvalidArgumentError(`It must be ${what}.`);
}

const port = (text: string) =>
  numberOf(text, (value) => Number.isInteger(value) && value >= 0 && value <= 65_535, 'a port, 0 to 65535');
const positive = (text: string) =>
  numberOf(text, (value) => value > 0 && Number.isFinite(value), 'a number above 0');
const share = (text: string) => numberOf(text, (value) => value >= 0 && value <= 1, 'a number of 0 to 1');
