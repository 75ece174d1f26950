/**
 * How tidy the imports inside the large areas are: files, imports, pairs of folders that import each other, and circles of
 * files that import values from each other.
 *
 *     node --import tsx bench/layers.ts [area ...]
 */
import { mutualPairs, readArea, valueCircles } from '../test/support/layers.ts'

const AREAS = ['core/http', 'llm', 'identity', 'mcp', 'mocks', 'a2a', 'llm-openai']

const chosen = process.argv.slice(2)
const rows = (chosen.length > 0 ? chosen : AREAS).map(name => {
  const area = readArea(name.includes('/') ? name : `plugins/${name}`)
  return {
    area: name,
    files: new Set(area.imports.map(({ from }) => from)).size,
    imports: area.imports.length,
    'mutual pairs': mutualPairs(area).length,
    'value circles': valueCircles(area).length,
  }
})
console.table(rows)
