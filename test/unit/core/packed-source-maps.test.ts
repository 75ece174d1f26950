/** Source maps of the npm package. */
import t from 'tap'
import { build } from 'esbuild'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linesOnly } from '../../../packing/source-maps.ts'

const LINES = Array.from(
  { length: 300 },
  (_, index) => `export function f${index}(value: number): number {
  if (value > ${index}) throw new RangeError(\`too large: \${value * 2}\`)

  return Math.max(value, ${index}) + f${(index + 7) % 300}(value + 1)
}
`,
)

t.test('a shortened map has the original file and line of each position', async t => {
  const folder = t.testdir({
    'first.ts': LINES.join(''),
    'second.ts': "export * from './first.ts'\nexport const end = 1\n",
  })
  writeFileSync(join(folder, 'main.ts'), "export * from './second.ts'\n")
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'main.ts')],
    outdir: folder,
    bundle: true,
    format: 'cjs',
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'external',
    sourcesContent: false,
    write: false,
  })
  const [map, code] = ['main.js.map', 'main.js'].map(name => outputFiles.find(file => file.path.endsWith(name))!.text)
  const short = linesOnly(map!)
  t.ok(short.length < map!.length / 2, `${short.length} of ${map!.length} characters`)
  const payloads = [map!, short].map(text => new SourceMap(JSON.parse(text) as SourceMapPayload))
  const lines = code!.split('\n')
  let compared = 0
  for (const [line, text] of lines.entries())
    for (let column = 0; column < text.length; column++) {
      const [whole, kept] = payloads.map(payload => payload.findEntry(line, column))
      if (!('originalLine' in whole!)) continue
      compared++
      const place = (entry: object): unknown[] =>
        ['originalSource', 'originalLine'].map(name => Reflect.get(entry, name))
      if (String(place(whole)) !== String(place(kept!))) t.strictSame(place(kept!), place(whole), `${line}:${column}`)
    }
  t.ok(compared > 10_000, `${compared} positions`)
})
