/** A demo as text: YAML or JSON, with all its mistakes and their lines. */
import { parseYaml, readAllProblems, YamlProblem, type Problem } from 'svc/toolkit'
import { MAX_FILE_BYTES } from './bounds.ts'
import { AREAS, type Demo } from './demo.ts'
import { readDemo } from './read-demo.ts'

export interface DemoProblem extends Problem {
  /** In the text, from 1; null: it concerns the whole. */
  line: number | null
}

export type ReadDemo = { demo: Demo; value: unknown } | { problems: DemoProblem[] }

export function readDemoText(text: string): ReadDemo {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    return {
      problems: [{ at: '', details: `expected at most ${MAX_FILE_BYTES} bytes (the bound of a file)`, line: null }],
    }
  let document: ReturnType<typeof parseYaml>
  try {
    document = parseYaml(text)
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error
    return { problems: [{ at: '', details: error.message, line: error.position?.line ?? null }] }
  }
  const read = readAllProblems(document.value, '', readDemo, standIn)
  if ('value' in read) return { demo: read.value, value: document.value }
  return {
    problems: read.problems.map(problem => ({ ...problem, line: document.locate(placeOf(problem.at))?.line ?? null })),
  }
}

/** Valid values for what there has to be, so that the mistakes behind a first one are found. */
function standIn(place: string): unknown {
  if (place === 'area') return AREAS[0]
  if (place === 'steps') return [{ title: 'step' }]
  if (place === 'route') return { path: '/' }
  if (/(?:^|\.)path$/.test(place)) return '/'
  return /(?:^|\.)(?:demo|title|shows)$/.test(place) ? 'x' : undefined
}

/** `steps[0].send.path` as keys and indexes. */
function placeOf(at: string): (string | number)[] {
  return [...at.matchAll(/\[(\d{1,9})\]|([^.[\]]+)/g)].map(([, index, key]) =>
    index === undefined ? key! : Number(index),
  )
}

/** One problem as a sentence: `retry.yaml:12: steps[0].expect: …`. */
export function problemText(file: string, { at, details, remedy, line }: DemoProblem): string {
  const place = `${file}${line === null ? '' : `:${line}`}`
  return `${place}: ${at === '' ? '' : `${at}: `}${details}${remedy === undefined ? '' : `\n  ${remedy}`}`
}
