/** Completion of the command line, in the shells that are installed. Takes long: it starts shells. */
import t from 'tap'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plugin, pluginFolder } from '../../support/plugins.ts'
import { needs } from '../../support/shells.ts'
import { svc } from '../../support/terminal.ts'

/** Typed words, the last of them unfinished, and what is completed. */
const CASES: readonly (readonly [string[], string[]])[] = [
  [['rou'], ['routes']],
  [['--qui'], ['--quiet']],
  [['--port', '8080', 'doc'], ['doctor']],
  [['check', '--js'], ['--json']],
  [['routes', 'ech'], ['echo']],
  [['probe', 'li'], ['list']],
  [['probe', '--groups', 'cach'], ['caching']],
  [
    ['probe', 'show', 'HDR-CO'],
    ['HDR-CONN', 'HDR-CONN-ABUSE', 'HDR-COOKIE', 'HDR-COND'],
  ],
  [['completion', 'z'], ['zsh']],
]

const RUN: Record<string, (script: string, words: readonly string[]) => string> = {
  bash: (script, words) =>
    `source ${script}; COMP_WORDS=(svc ${words.join(' ')}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // What "compadd" gets is all that is possible here; zsh itself selects what fits.
  zsh: (script, words) =>
    `compdef() { }; compadd() { shift; print -l -- "$@" }; source ${script}; words=(svc ${words.join(' ')}); CURRENT=${words.length + 1}; _svc`,
  fish: (script, words) => `source ${script}; complete -C 'svc ${words.join(' ')}'`,
}

for (const [shell, command] of Object.entries(RUN))
  t.test(`${shell} completes commands, options, plugins, groups and checks [CLI-13]`, needs(shell), async t => {
    const script = join(t.testdir(), 'script')
    const printed = await svc(['completion', shell])
    t.equal(printed.code, 0)
    writeFileSync(script, printed.output)
    for (const [words, expected] of CASES) {
      const { stdout, stderr } = spawnSync(shell, ['-c', command(script, words)], { encoding: 'utf8' })
      const found = stdout
        .split('\n')
        .map(line => line.split('\t')[0]!)
        .filter(word => word !== '' && word.startsWith(words.at(-1)!))
      t.same(found.sort(), [...expected].sort(), `${words.join(' ')} ${stderr}`)
    }
  })

t.test('commands of other plugins are completed, and their words can do no harm [CLI-13]', async t => {
  const command = `command: { name: 'tell', summary: "it's $(x)", usage: 'usage: svc tell [--loud]', group: 'run',
    complete: () => ({ '': ['one', "two'; touch x"], '--to': ['\`x\`', 'you'] }), run: () => ({ exitCode: 0 }) },`
  const { folder } = pluginFolder(t, { teller: plugin('teller', 'x', { definition: command }) })
  const env = { SVC_PLUGINS_DIR: folder }
  for (const shell of Object.keys(RUN)) {
    const { output } = await svc(['completion', shell], { env })
    t.match(output, /tell/)
    t.match(output, /one/)
    t.notMatch(output, /touch x|`x`|it's|\$\(x\)/, shell)
  }
  t.match((await svc(['--help'], { env })).output, /\nRun\n(?: {2}.*\n)* {2}tell +it's/)
  t.match(await svc(['completion', 'tcsh']), { code: 2, errors: /unknown shell: tcsh \(expected bash, zsh, fish\)/ })
})

t.test('a command that is not one is a load error [HOST-1]', async t => {
  const { folder } = pluginFolder(t, {
    teller: plugin('teller', 'x', {
      definition: "command: { name: 'tell', summary: 'x', usage: 'x', group: 'all', run() {} },",
    }),
  })
  const { output } = await svc(['plugins'], { env: { SVC_PLUGINS_DIR: folder } })
  t.match(output, /^teller +failed .*command must be .* group one of run, configure, test, move/m)
})
