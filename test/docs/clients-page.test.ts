/** The operations on the page of the clients are those that the clients have. */
import t from 'tap'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/examples.ts'

function sources(folder: string, ending: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(ending))
    .map(name => readFileSync(join(root, folder, name), 'utf8'))
    .join('\n')
}

/** How each language declares a name, in the order of the columns. */
const LANGUAGES: { name: string; text: string; declares: (name: string) => RegExp }[] = [
  {
    name: 'JavaScript',
    text: sources('core/testing', '.ts'),
    declares: name => new RegExp(`\\b${name}\\??(?:[(:<]| =)`),
  },
  {
    name: 'Python',
    text: sources('clients/python/src', '.py'),
    declares: name => new RegExp(`def ${name}\\(|self\\.${name} =|\\b${name}:`),
  },
  {
    name: 'Java',
    text: sources('clients/java/src/main', '.java'),
    declares: name => new RegExp(`(?:public|default) [^=;{]*\\b${name}\\(|^ {2}\\S+ ${name}\\(`, 'm'),
  },
  {
    name: 'Go',
    text: sources('clients/go/svctest', '.go'),
    declares: name => new RegExp(`func (?:\\([^)]*\\) )?${name}\\(|^\\t(?:\\w+, )*${name}(?:, \\w+)* +\\S`, 'm'),
  },
]

const [, section] = readFileSync(join(root, 'docs', 'clients.md'), 'utf8').split('## Operations\n')
const rows = section!
  .split('\n## ')[0]!
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| Operation'))
  .map(line => line.slice(2, -2).split(' | '))

t.test('each operation of the page exists in each client [CLIENTS-1]', t => {
  t.ok(rows.length >= 13)
  for (const [operation, ...cells] of rows)
    for (const [index, { name, text, declares }] of LANGUAGES.entries())
      for (const [, code] of cells[index]!.matchAll(/`([^`]+)`/g)) {
        const member = /(\w+)(?:\(.*)?$/.exec(code!.replace(/\(.*/, ''))![1]!
        if (member !== 'with') t.match(text, declares(member), `${operation}, ${name}: ${member}`)
      }
  t.end()
})
