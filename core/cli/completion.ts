/** `svc completion`: a script that completes the command line in a shell. */
import type { Command, CommandContext, CompletionWords } from '../contract/plugin.ts'
import { UsageError, readArguments } from './arguments.ts'
import { commandContext } from './command-context.ts'
import { SHELLS, type CompletedCommand } from './completion-scripts.ts'
import type { FoundCommand } from './commands.ts'
import { SERVE_OPTIONS } from './serve-options.ts'
import type { Terminal } from './terminal.ts'

/** What is completed is written into a script, so it is restricted to characters without a meaning in shells. */
const WORD = /^[\w./:@%+,-]{1,100}$/

/** `list` returns the commands of the core and of plugins. */
export function completionCommand(terminal: Terminal, list: () => Promise<FoundCommand[]>): Command {
  return {
    name: 'completion',
    summary: 'print a script that completes svc in a shell',
    group: 'configure',
    usage: `usage: svc completion bash|zsh|fish

Prints a script that completes commands, options, names of plugins, and groups and checks of the probe. Load it with

  bash   source <(svc completion bash)       in ~/.bashrc
  zsh    source <(svc completion zsh)        in ~/.zshrc, after compinit
  fish   svc completion fish | source        in ~/.config/fish/config.fish
`,
    complete: () => ({ '': Object.keys(SHELLS) }),
    async run(args) {
      const { words } = readArguments(args, {}, { min: 1, max: 1, what: `one of ${Object.keys(SHELLS).join(', ')}` })
      const script = Object.hasOwn(SHELLS, words[0]!) ? SHELLS[words[0]!] : undefined
      if (script === undefined)
        throw new UsageError(`unknown shell: ${words[0]!.slice(0, 100)} (expected ${Object.keys(SHELLS).join(', ')})`)
      terminal.out.write(script(await completedCommands(terminal, await list())))
      return { exitCode: 0 }
    },
  }
}

async function completedCommands(terminal: Terminal, found: FoundCommand[]): Promise<CompletedCommand[]> {
  const serve: CompletedCommand = {
    name: 'serve',
    summary: 'start the server',
    options: Object.keys(SERVE_OPTIONS).map(name => `--${name}`),
    words: {},
  }
  const others = found.map(async one => {
    const { name, summary, usage } = one.command
    const words = clean(await wordsOf(one, await commandContext(one, terminal)))
    return { name, summary: summary.replace(/[^\w .,/()-]/g, ''), options: optionsOf(usage), words }
  })
  return [serve, ...(await Promise.all(others)), { name: 'help', summary: 'print the usage', options: [], words: {} }]
}

/** The words of a plugin that can't tell them are left out. */
async function wordsOf({ command }: FoundCommand, context: CommandContext): Promise<CompletionWords> {
  try {
    return (await command.complete?.(context)) ?? {}
  } catch {
    return {}
  }
}

function clean(words: CompletionWords): CompletionWords {
  return Object.fromEntries(
    Object.entries(words)
      .filter(([before]) => before === '' || WORD.test(before))
      .map(([before, after]) => [before, after.filter(word => WORD.test(word))]),
  )
}

/** The options that the usage of a command names. */
function optionsOf(usage: string): string[] {
  return [...new Set([...usage.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g)].map(([option]) => option)), '--help'].filter(
    (option, index, all) => all.indexOf(option) === index,
  )
}
