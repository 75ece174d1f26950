/** Imports inside core/http and the large plugins point downwards, in the order that their READMEs declare. */
import t from 'tap'
import {
  declaredLayers,
  mutualPairs,
  readArea,
  undeclared,
  upwardImports,
  valueCircles,
  type Area,
} from '../../support/layers.ts'

const AREAS = [
  'core/http',
  'plugins/a2a',
  'plugins/identity',
  'plugins/llm',
  'plugins/llm-openai',
  'plugins/mcp',
  'plugins/mocks',
]

/** What is wrong with an area. */
function problemsOf(folder: string, area: Area): string[] {
  const layers = declaredLayers(folder)
  return [
    ...(layers === null ? ['its README has no list "Folders"'] : undeclared(area, layers)),
    ...upwardImports(area, layers ?? []),
    ...valueCircles(area).map(files => `a circle of values: ${files.join(', ')}`),
  ]
}

for (const folder of AREAS) {
  t.test(`${folder}: imports point downwards`, async t => {
    const area = readArea(folder)
    t.ok(area.imports.length > 40, 'its imports are read')
    t.strictSame(problemsOf(folder, area), [])
  })
}

t.test('every violation is found', async t => {
  const area: Area = {
    entries: ['low', 'high', 'index.ts'],
    imports: [
      { from: 'high/a.ts', to: 'low/b.ts', isType: false },
      { from: 'low/b.ts', to: 'high/a.ts', isType: true },
      { from: 'low/c.ts', to: 'low/d.ts', isType: false },
      { from: 'low/d.ts', to: 'low/c.ts', isType: false },
    ],
  }
  const layers = [['low'], ['high'], ['index.ts']]
  t.strictSame(undeclared(area, layers), [])
  t.strictSame(undeclared(area, [['low', 'gone'], ['low']]), [
    'high has no line',
    'index.ts has no line',
    'gone does not exist',
    'low has two lines',
  ])
  t.strictSame(upwardImports(area, layers), ['low/b.ts imports high/a.ts'])
  t.strictSame(upwardImports(area, [['low', 'high'], ['index.ts']]).length, 2, 'folders in one line are independent')
  t.strictSame(mutualPairs(area), ['high low'])
  t.strictSame(valueCircles(area), [['low/c.ts', 'low/d.ts']])
})
