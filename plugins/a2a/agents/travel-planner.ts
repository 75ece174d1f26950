/** Owns the travel planner: a slow task that streams artifacts of every kind. */
import { createHash } from 'node:crypto'
import type { AgentDefinition, Part, Step } from '../types.ts'
import { placeIn, textOf } from './text.ts'

/** A PNG (RFC 2083) of 21 by 21 pixels that looks like a boarding code. */
const BOARDING_CODE_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAABUAAAAVAQAAAACBbJg7AAAAVklEQVR42h3IsQ2AIBBA0c8GrENheUsQ7UlsWOA2ktIdaES2sKWkMWfiKx9uBS0DuTzyemTx6DZwB9g9MZs8obLHzlkSoeX/XKho7EhJSMuITTRUXOwfSwAh0DmPq/YAAAAASUVORK5CYII='

const SIGHTS = [
  'the old town',
  'the harbour',
  'the market hall',
  'the botanical garden',
  'the art museum',
  'a viewpoint at sunset',
  'a boat trip',
]

export const travelPlanner: AgentDefinition = {
  id: 'travel-planner',
  name: 'Travel Planner Agent',
  description: 'Plans a trip step by step: streamed itinerary, data, links and files',
  inputModes: ['text/plain'],
  outputModes: ['text/markdown', 'application/json', 'image/png', 'text/plain'],
  skills: [
    {
      id: 'plan-trip',
      name: 'Plan a trip',
      description: 'Itinerary, bookings, map and boarding pass for up to seven days',
      tags: ['travel', 'streaming', 'files'],
      examples: ['Plan a 3-day trip to Lisbon', 'A weekend trip to Ghent'],
    },
  ],
  steps(message, context) {
    const afterMs = context.stepDelayMs(400)
    const text = textOf(message)
    const destination = placeIn(text, ' to ', [' in ', ' next', ' this']) ?? 'Lisbon'
    const days = daysIn(text)
    return planTrip(destination, days, afterMs, context.baseUrl)
  },
}

function planTrip(destination: string, days: number, d: number, baseUrl: string): Step[] {
  const digest = createHash('sha256').update(destination.toLowerCase()).digest()
  const pick = (at: number, from: number, to: number) => from + (digest.readUInt8(at) % (to - from + 1))
  const flight = {
    code: `SV${pick(0, 100, 355)}`,
    departure: `${pick(1, 10, 18)}:${pick(2, 10, 59)}`,
    arrival: `${pick(3, 19, 23)}:${pick(4, 10, 59)}`,
  }
  const trip = {
    destination,
    days,
    flight,
    hotel: { name: `Hotel ${destination}`, nights: days },
    estimatedCost: { currency: 'EUR', amount: 150 + days * pick(5, 80, 200) },
  }
  const pass = `${flight.code} to ${destination}\nDeparture ${flight.departure}, seat ${pick(6, 1, 30)}A\n`
  const dayLines = Array.from(
    { length: days },
    (_, day) => `- Day ${day + 1}: ${SIGHTS[(pick(7, 0, 6) + day) % SIGHTS.length]}\n`,
  )
  const chunk = (text: string) => ({
    artifactId: 'itinerary',
    name: 'itinerary',
    parts: [{ text, mediaType: 'text/markdown' }],
  })
  const whole = (artifactId: string, parts: Part[]) => ({
    artifact: { artifactId, name: artifactId, parts },
    lastChunk: true,
  })
  return [
    { afterMs: d, state: 'WORKING', text: `Looking for flights to ${destination}` },
    { afterMs: d, artifact: chunk(`# ${days} day(s) in ${destination}\n\n`), lastChunk: false },
    { afterMs: d, state: 'WORKING', text: `Planning ${days} day(s)` },
    ...dayLines.map(line => ({ afterMs: d / 2, artifact: chunk(line), append: true, lastChunk: false })),
    { afterMs: d / 2, artifact: chunk(`\nHave a good trip to ${destination}!\n`), append: true, lastChunk: true },
    { afterMs: d, ...whole('itinerary-json', [{ data: trip, mediaType: 'application/json' }]) },
    whole('route-map', [{ url: `${baseUrl}/image/png`, filename: 'map.png', mediaType: 'image/png' }]),
    whole('boarding-pass', [
      { raw: Buffer.from(pass).toString('base64'), filename: 'boarding-pass.txt', mediaType: 'text/plain' },
      { raw: BOARDING_CODE_PNG, filename: 'qr.png', mediaType: 'image/png' },
    ]),
    { afterMs: d, state: 'COMPLETED', text: `Your trip to ${destination} is planned` },
  ]
}

/** From 1 to 7. Default: 3, or 2 for a weekend. */
function daysIn(text: string): number {
  const count = /(?<!\d)(\d{1,4})[ -]days?\b/i.exec(text)?.[1]
  if (count !== undefined) return Math.min(7, Math.max(1, Number(count)))
  return /\bweekend\b/i.test(text) ? 2 : 3
}
