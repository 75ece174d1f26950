/**
 * Source maps of the package (ECMA-426) keep the first position of each original line: stack traces show files and lines, and
 * the maps have a quarter of the size.
 */
import type { SourceMapSegment } from '@jridgewell/sourcemap-codec'
import { createRequire } from 'node:module'

/** Loaded when it is used: without the development dependencies, the build says what to install. */
function loadCodec(): typeof import('@jridgewell/sourcemap-codec') {
  return createRequire(import.meta.url)('@jridgewell/sourcemap-codec')
}

interface SourceMap {
  mappings: string
  names: string[]
}

/** Returns a map of the same script, without columns and names of the sources. `text` is a map as esbuild writes it. */
export function linesOnly(text: string): string {
  const { decode, encode } = loadCodec()
  const map = JSON.parse(text) as SourceMap
  let previous = ''
  const lines = decode(map.mappings).map(segments => {
    const kept: SourceMapSegment[] = []
    for (const [column, source, line] of segments) {
      const place = source === undefined ? '' : `${source}:${line}`
      if (place === previous && kept.length > 0) continue
      previous = place
      kept.push(source === undefined ? [column] : [column, source, line!, 0])
    }
    return kept
  })
  return JSON.stringify({ ...map, mappings: encode(lines), names: [] })
}
