/** The examples of `docs/frameworks.md` in Python and of load generators in Python, each skipped where its package is missing. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { serve } from '../support/server.ts'
import { statusesOf } from './support/model-replies.ts'
import { findProgram } from './support/program.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'frameworks.md')
/** `SVC_TEST_PYTHON` is the interpreter of an environment with the packages. */
const interpreter = process.env.SVC_TEST_PYTHON ?? 'python3'
const python = findProgram(interpreter)
const pageText = readFileSync(PAGE, 'utf8')
/** The commands or configuration files of load generators that are Python packages and have commands of their names. */
const LOAD =
  /^(.+?), package `(guidellm|aiperf|vllm|inference-perf)`[^`]*(?:`[^`\n]+`[^`]*)?:\n\n```(?:console\n\$ |yaml\n)([\s\S]*?)^```$/gm
const examples = [...pageText.matchAll(/^(.+), package `([^`]+)`:\n\n```python\n([\s\S]*?)^```$/gm)]

t.ok(examples.length >= 8, 'the page has an example for each framework')
for (const [, name = '', distribution = '', code = ''] of examples) {
  const version = versionOf(distribution)
  t.test(
    `${name}: ${distribution} ${version ?? ''} gets a reply`,
    { skip: version === null && `no Python package ${distribution} here` },
    async t => {
      t.setTimeout(0)
      if (typeof python === 'string') return
      const server = await serve(t, { oneProcess: 'the framework is one client' })
      const folder = mkdtempSync(join(tmpdir(), 'svc-framework-'))
      t.teardown(() => rmSync(folder, { recursive: true, force: true }))
      writeFileSync(join(folder, 'example.py'), code.replaceAll('http://localhost:8080', server.url))
      const { code: status, output } = await python.run(['example.py'], {
        cwd: folder,
        env: { CREWAI_DISABLE_TELEMETRY: 'true', OTEL_SDK_DISABLED: 'true', OPENAI_API_KEY: 'demo', HOME: folder },
      })
      t.equal(status, 0, output.slice(-3000))
      t.match(output, /\w/)
      t.strictSame(await statusesOf(server.url), [200], 'svc replied')
    },
  )
}

/** What load generators have instead of the tokenizers that they would fetch: each byte is a token. */
const TOKENIZER = `
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
bytes = sorted(pre_tokenizers.ByteLevel.alphabet())
tokenizer = Tokenizer(models.BPE(vocab={byte: at for at, byte in enumerate(bytes)}, merges=[]))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=bytes[0], bos_token=bytes[0]).save_pretrained("bytes")
`
for (const [title, distribution, command] of [...pageText.matchAll(LOAD)].map(
  ([, name = '', of = '', line = '']) => [name, of, line] as const,
)) {
  const version = versionOf(distribution)
  t.test(
    `${title}: ${distribution} ${version ?? ''} measures 50 replies`,
    { skip: version === null && `no Python package ${distribution} here` },
    async t => {
      t.setTimeout(0)
      if (typeof python === 'string') return
      const server = await serve(t, { oneProcess: 'the load generator is one client' })
      const cwd = mkdtempSync(join(tmpdir(), 'svc-load-'))
      t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
      writeFileSync(join(cwd, 'prompts.csv'), 'prompt\nhello\n')
      if (/tokenizer/.test(command)) {
        const { code, output } = await python.run(['-c', TOKENIZER], { cwd })
        t.equal(code, 0, output)
      }
      const text = command
        .replaceAll('\\\n', ' ')
        .replaceAll('http://localhost:8080', server.url)
        .replace('--tokenizer builtin', '--tokenizer ./bytes')
        .replace('gpt2', './bytes')
      writeFileSync(join(cwd, 'config.yaml'), text)
      const isFile = !text.startsWith(distribution)
      const args = isFile ? ['--config_file', 'config.yaml'] : text.trim().split(/\s+/).slice(1)
      const words = args.slice(
        0,
        args.findIndex(word => word.startsWith('-')),
      )
      const program = findProgram(join(dirname(interpreter), distribution), [...words, '--help'])
      if (typeof program === 'string') return t.fail(program)
      const { code, output } = await program.run(args, { cwd, env: { HOME: cwd, COLUMNS: '200' } })
      t.equal(code, 0, output.slice(-3000))
      t.strictSame(await statusesOf(server.url), [200], 'svc replied')
    },
  )
}

/** The installed version of a Python distribution; null without it. */
function versionOf(distribution: string): string | null {
  if (typeof python === 'string') return null
  try {
    const script = `import importlib.metadata as m; print(m.version("${distribution}"))`
    return execFileSync(interpreter, ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}
