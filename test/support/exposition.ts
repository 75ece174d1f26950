/** A strict parser of the Prometheus text format 0.0.4; it throws whatever a strict scraper would reject. */

export interface Family {
  name: string
  type: string
  help: string
  samples: { name: string; labels: Record<string, string>; value: number }[]
}

const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped'])
const SUFFIXES: Record<string, string[]> = {
  counter: [''],
  gauge: [''],
  untyped: [''],
  histogram: ['_bucket', '_sum', '_count'],
}

export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no line feed')
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  let family: Family | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line)
    if (comment !== null) {
      const [, kind, name, rest] = comment as unknown as [string, string, string, string]
      if (kind === 'HELP') {
        if (families.has(name)) throw new Error(`${name} comes twice`)
        families.set(name, (family = { name, help: rest, type: '', samples: [] }))
      } else {
        if (family?.name !== name || family.type !== '' || !TYPES.has(rest)) throw new Error(`odd TYPE: ${line}`)
        family.type = rest
      }
      continue
    }
    if (line.startsWith('#')) throw new Error(`odd comment: ${line}`)
    const sample = readSample(line)
    if (family === undefined || !SUFFIXES[family.type]!.some(suffix => sample.name === family!.name + suffix))
      throw new Error(`outside of its family: ${line}`)
    const key = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).toSorted())}`
    if (seen.has(key)) throw new Error(`twice: ${line}`)
    seen.add(key)
    family.samples.push(sample)
  }
  for (const each of families.values()) checkFamily(each)
  return families
}

function readSample(line: string): Family['samples'][number] {
  const match =
    /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (NaN|[+-]?Inf|[+-]?[\d.]+(?:e[+-]?\d+)?)$/.exec(
      line,
    )
  if (match === null) throw new Error(`no sample: ${line}`)
  const labels: Record<string, string> = {}
  for (const [, name, value] of (match[2] ?? '').matchAll(/([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"/g)) {
    if (name! in labels) throw new Error(`label ${name} twice: ${line}`)
    labels[name!] = value!
  }
  return { name: match[1]!, labels, value: Number(match[3]!.replace('Inf', 'Infinity')) }
}

function checkFamily({ name, type, samples }: Family): void {
  if (type === '') throw new Error(`${name} has no type`)
  if (type === 'counter') for (const { value } of samples) if (!(value >= 0)) throw new Error(`${name} is below 0`)
  if (type !== 'histogram') return
  const rows = new Map<string, { le: number; value: number }[]>()
  for (const sample of samples.filter(each => each.name.endsWith('_bucket'))) {
    const { le, ...rest } = sample.labels
    const key = JSON.stringify(rest)
    rows.set(key, [...(rows.get(key) ?? []), { le: le === '+Inf' ? Infinity : Number(le), value: sample.value }])
  }
  for (const [key, buckets] of rows) {
    buckets.forEach((bucket, index) => {
      const before = buckets[index - 1]
      if (before !== undefined && (before.le >= bucket.le || before.value > bucket.value))
        throw new Error(`${name}${key}: buckets fall`)
    })
    const count = samples.find(each => each.name === `${name}_count` && JSON.stringify(each.labels) === key)
    if (buckets.at(-1)!.le !== Infinity || count?.value !== buckets.at(-1)!.value)
      throw new Error(`${name}${key}: +Inf is not the count`)
  }
}
