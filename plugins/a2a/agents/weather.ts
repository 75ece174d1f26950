/** Owns the weather agent; its forecast is computed from the name of the city. */
import { isRecord } from 'svc/toolkit'
import { createHash } from 'node:crypto'
import type { AgentDefinition, Message } from '../types.ts'
import { formPlace, placeIn, textOf } from './text.ts'

const CONDITIONS = [
  'sunny',
  'partly cloudy',
  'cloudy',
  'light rain',
  'showers',
  'thunderstorms',
  'snow',
  'fog',
] as const

export const weather: AgentDefinition = {
  id: 'weather',
  name: 'Weather Agent',
  description: 'Forecasts the weather for any city; the same city always gets the same forecast',
  inputModes: ['text/plain', 'application/json'],
  outputModes: ['application/json', 'text/plain'],
  skills: [
    {
      id: 'forecast',
      name: 'Forecast',
      description: 'Current weather and a three-day forecast, as data and as text',
      tags: ['weather', 'forecast'],
      examples: ['What is the weather in Utrecht?', '{"city":"Oslo"}'],
    },
  ],
  steps(message, context) {
    const afterMs = context.stepDelayMs(100)
    const forecast = forecastOf(cityOf(message))
    const { city, current } = forecast
    const summary = `${city}: ${current.condition}, ${current.temperatureC} °C, wind ${current.windKph} km/h`
    return [
      { afterMs, state: 'WORKING', text: `Looking at the sky over ${city}` },
      {
        afterMs,
        artifact: {
          artifactId: 'forecast',
          name: 'forecast',
          parts: [{ data: forecast, mediaType: 'application/json' }, { text: summary }],
        },
      },
      { state: 'COMPLETED', text: summary },
    ]
  },
}

function cityOf(message: Message): string {
  for (const part of message.parts) {
    if (!('data' in part) || !isRecord(part.data) || typeof part.data.city !== 'string') continue
    const city = formPlace(part.data.city)
    if (city !== null) return city
  }
  return placeIn(textOf(message), ' in ', [' on ', ' today', ' tomorrow']) ?? 'Amsterdam'
}

function forecastOf(city: string) {
  const digest = createHash('sha256').update(city.toLowerCase()).digest()
  const pick = (at: number, from: number, to: number) => from + (digest.readUInt8(at) % (to - from + 1))
  const condition = (at: number) => CONDITIONS[pick(at, 0, CONDITIONS.length - 1)]
  const day = (number: number) => {
    const highC = pick(8 + number, 4, 32)
    return {
      day: number,
      condition: condition(12 + number),
      highC,
      lowC: highC - pick(16 + number, 3, 11),
      precipitationChance: pick(20 + number, 0, 100),
    }
  }
  return {
    city,
    units: 'metric',
    current: {
      temperatureC: pick(0, -2, 30),
      condition: condition(1),
      humidity: pick(2, 30, 95),
      windKph: pick(3, 0, 45),
    },
    forecast: [day(0), day(1), day(2)],
    source: 'svc demo data',
  }
}
