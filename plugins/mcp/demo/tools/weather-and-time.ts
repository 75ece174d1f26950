/** Owns the weather and time tools. */
import type { ToolDefinition } from '../../types.ts'
import { timeIn } from '../clock.ts'
import { weatherOf } from '../weather.ts'
import { defineTool, fail, textResult } from './define.ts'

const getWeather = defineTool<{ city: string; units: 'metric' | 'imperial' }>({
  name: 'get_weather',
  title: 'Weather',
  description: 'Returns the weather in a city. The same city always has the same weather.',
  input: {
    'city*': { type: 'string', minLength: 1, maxLength: 100, description: 'Name of the city', 'x-mcp-header': 'City' },
    units: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
  },
  output: {
    city: { type: 'string' },
    temperature: { type: 'integer' },
    unit: { type: 'string', enum: ['C', 'F'] },
    conditions: { type: 'string' },
    'humidity?': { type: 'integer', description: 'Percent' },
    'windKph?': { type: 'integer' },
    'source?': { type: 'string' },
  },
  call({ city, units }) {
    if (city.trim() === '') fail('the city must not be blank')
    const weather = weatherOf(city, units)
    return textResult(
      `Weather in ${weather.city}: ${weather.temperature} °${weather.unit}, ${weather.conditions}, humidity ${weather.humidity} %, wind ${weather.windKph} km/h`,
      weather,
    )
  },
})

const getTime = defineTool<{ timezone: string }>({
  name: 'get_time',
  title: 'Time',
  description: 'Returns the current time in a time zone.',
  input: {
    timezone: { type: 'string', maxLength: 100, default: 'UTC', description: 'IANA time zone, such as Europe/Lisbon' },
  },
  output: {
    timezone: { type: 'string' },
    iso: { type: 'string' },
    unix: { type: 'integer' },
    utcOffset: { type: 'string' },
  },
  annotations: { idempotentHint: false },
  call({ timezone }) {
    const time =
      timeIn(timezone, Date.now()) ??
      fail(`unknown timezone "${timezone}" (expected an IANA name such as Europe/Lisbon)`)
    return textResult(`${time.iso} (${timezone})`, { timezone, ...time })
  },
})

export const weatherAndTimeTools: ToolDefinition[] = [getWeather, getTime]
