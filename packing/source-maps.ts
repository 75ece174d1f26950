/**
 * Source maps of the package (ECMA-426) keep the first position of each original line: stack traces show files and lines, and
 * the maps have a quarter of the size.
 */
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'

interface SourceMap {
  mappings: string
  names: string[]
}

/** Returns a map of the same script, without columns and names of the sources. `text` is a map as esbuild writes it. */
export function linesOnly(text: string): string {
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
