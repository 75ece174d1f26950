/** Owns the weather of the server `apps`: it depends on the city, and after a refresh on the minute. */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../mcp/types.ts'

const CONDITIONS = ['sunny', 'partly cloudy', 'cloudy', 'light rain', 'windy']

export function weatherIn(city: string, minute: number): JsonObject {
  const name = city.trim()
  const hash = createHash('sha256').update(`${name.toLowerCase()} ${minute}`).digest()
  return {
    city: name,
    temperature: (hash[0]! % 35) - 5,
    unit: 'C',
    conditions: CONDITIONS[hash[1]! % CONDITIONS.length],
  }
}
