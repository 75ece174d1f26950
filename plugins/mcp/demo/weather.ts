/** Owns the demo weather, which is computed from the name of the city. */
import type { JsonObject } from '../types.ts'

const CONDITIONS = ['sunny', 'partly cloudy', 'cloudy', 'light rain', 'showers', 'windy', 'foggy', 'snow']

export interface Weather extends JsonObject {
  city: string
  temperature: number
  unit: 'C' | 'F'
  conditions: string
  /** Percent. */
  humidity: number
  windKph: number
  source: string
}

/** The weather in a city; case and surrounding spaces are ignored. With imperial units, the temperature is in Fahrenheit. */
export function weatherOf(city: string, units: 'metric' | 'imperial' = 'metric'): Weather {
  const name = city.trim()
  const hash = fnv1a64(name.toLowerCase())
  const part = (divisor: bigint, modulus: bigint) => Number((hash / divisor) % modulus)
  const celsius = part(1n, 35n) - 5
  return {
    city: name,
    temperature: units === 'metric' ? celsius : Math.trunc((celsius * 9) / 5 + 32),
    unit: units === 'metric' ? 'C' : 'F',
    conditions: CONDITIONS[part(35n, 8n)] ?? '',
    humidity: 30 + part(7n, 60n),
    windKph: 2 + part(11n, 40n),
    source: 'svc demo data',
  }
}

/** 64-bit FNV-1a hash of the UTF-8 bytes. */
function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text, 'utf8')) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash
}
