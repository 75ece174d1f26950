/** Commands of the documentation work in every shell: zsh refuses `?`, `*` and `[` without quotes that match no file. */
import t from 'tap'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { blocksOf, root } from '../support/examples.ts'
import { unquotedGlobs } from '../support/shell-globs.ts'

function pages(): string[] {
  const below = ['docs', 'plugins', 'packing', 'deploy', 'examples'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && entry.name.endsWith('.md') && !entry.parentPath.includes('node_modules'))
      .map(entry => relative(root, join(entry.parentPath, entry.name))),
  )
  return ['README.md', 'CONTRIBUTING.md', ...below.sort()]
}

/** Patterns that are meant: they match files of the checkout. */
const MEANT = /^(?:\.\/)?[\w./-]*\*(?:\.\w+)?$/

t.test('words with ?, * or [ are quoted in shell blocks [DOC-9]', async t => {
  let blocks = 0
  for (const page of pages()) {
    const text = readFileSync(join(root, page), 'utf8')
    for (const block of blocksOf(text)) {
      if (!['sh', 'bash', 'shell'].includes(block.language)) continue
      blocks++
      for (const { word } of unquotedGlobs(block.text)) if (!MEANT.test(word)) t.fail(`${page}: quote ${word}`)
    }
  }
  t.ok(blocks > 100, `${blocks} blocks`)
})

t.test('svc is not started by its bare name with npx, which offers an unrelated package [DOC-10]', async t => {
  for (const page of pages()) t.notMatch(readFileSync(join(root, page), 'utf8'), /\bnpx svc\b/, page)
  t.notMatch(readFileSync(join(root, 'core/cli/new-plugin.ts'), 'utf8'), /\bnpx svc\b/)
})

t.test('only what the shell would expand is found [DOC-9]', async t => {
  const words = (script: string): string[] => unquotedGlobs(script).map(({ word }) => word)
  t.same(words('curl http://a/b?c=1 \'http://a/b?c=1\' "x*" # why?\n[ -f a ] && echo $? \\? a[0]'), [
    'http://a/b?c=1',
    'a[0]',
  ])
  t.same(words("cat > f <<'EOF'\na: [1, *]\nEOF\nls *.ts 'a\nb?' c?"), ['*.ts', 'c?'])
})
