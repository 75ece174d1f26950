/** `npm run docs:probe [-- --out <folder>]` writes the pages of the probe's checks, by default to `docs/probe`. */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeProbePages } from './probe-pages.ts'

const { values } = parseArgs({ options: { out: { type: 'string', default: join('docs', 'probe') } } })
writeProbePages(resolve(join(import.meta.dirname, '..'), values.out))
