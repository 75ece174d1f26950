/** The documentation as a whole: every page is tested, every area has a page, every link works. */
import t from 'tap'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { blocksOf, root } from '../support/examples.ts'
import { AUTHORING, GROUPS, ELSEWHERE, pagesOnDisk, readmes } from './pages.ts'

const run = Object.values(GROUPS).flat() as string[]
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

t.test('every page is in a group of tests or has no examples [DOC-2]', async t => {
  for (const name of pagesOnDisk()) t.ok([...run, ...AUTHORING, ...ELSEWHERE].includes(name), name)
  for (const name of run) t.ok(pagesOnDisk().includes(name), name)
})

t.test('every area is explained on a page [DOC-2]', async t => {
  const pages = run.map(name => read(`docs/${name}.md`)).join('\n')
  for (const readme of readmes()) t.ok(pages.includes(`](../${readme})`), readme)
})

t.test('the index links to every page [DOC-2]', async t => {
  const index = read('docs/README.md')
  const gateways = readdirSync(join(root, 'docs', 'gateways'))
    .filter(name => name.endsWith('.md'))
    .map(name => `gateways/${name}`)
  for (const page of [
    ...pagesOnDisk()
      .filter(name => name !== 'README')
      .map(name => `${name}.md`),
    ...gateways,
  ])
    t.ok(index.includes(`(${page})`), page)
})

t.test('links within the project lead to existing files and headings [DOC-2]', async t => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`)
  for (const page of ['README.md', ...pages, ...readmes()]) {
    for (const [, target, heading] of withoutBlocks(read(page)).matchAll(
      /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g,
    )) {
      const path = target === '' ? page : relative(root, join(root, dirname(page), target!))
      t.ok(existsSync(join(root, path)), `${page}: ${target}`)
      if (heading) t.ok(headingsOf(read(path)).includes(heading), `${page}: ${path}#${heading}`)
    }
  }
})

t.test('the files that the page about the architecture names exist [DOC-2]', t => {
  const named = [...read('docs/architecture.md').matchAll(/`((?:core|plugins|backends|bench|bin|test)\/[\w./-]+)`/g)]
  t.ok(named.length > 40)
  for (const [, path] of named) t.ok(existsSync(join(root, path!)), path!)
  t.end()
})

t.test('the linked views of the console exist', async t => {
  const views = [...read('plugins/console/client/views/index.ts').matchAll(/\bkey: '(\w+)'/g)].map(([, key]) => key)
  const named = [...read('docs/console.md').matchAll(/\/ui\/#\/(\w+)\)/g)].map(([, key]) => key!)
  t.ok(named.length > 3)
  for (const key of named) t.ok(views.includes(key), key)
})

function withoutBlocks(markdown: string): string {
  const lines = markdown.split('\n')
  for (const { line, end } of blocksOf(markdown)) lines.fill('', line - 1, end)
  return lines.join('\n')
}

/** Anchors of the headings, as repository hosts generate them. */
function headingsOf(markdown: string): string[] {
  return [...withoutBlocks(markdown).matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
    text!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
