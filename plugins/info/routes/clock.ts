/** `/date` and `/time`, in UTC and in any time zone. */
import { describe, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { jsonReply, object, TEXT } from 'svc/toolkit'
import { unknownTimezone } from '../errors.ts'
import { createZoneClock, type ZonedTime } from '../zone-clock.ts'

const shared = { category: 'Info & Random', negotiated: true } satisfies Partial<RouteDescription>

const replyWith = (what: 'date' | 'time') => jsonReply(object({ [what]: TEXT, timezone: TEXT }))

function describeUtc(what: 'date' | 'time'): RouteDescription {
  return {
    ...shared,
    summary: what === 'date' ? 'Current date in UTC' : 'Current time in UTC',
    responses: { 200: { description: `\`${what}\` and \`timezone\`` } },
    reply: replyWith(what),
    examples: [{ name: 'UTC', path: `/${what}`, expectStatus: 200 }],
  }
}

function describeZoned(what: 'date' | 'time'): RouteDescription {
  return {
    ...shared,
    path: `/${what}/{*timezone}`,
    summary: what === 'date' ? 'Current date in a time zone' : 'Current time in a time zone',
    parameters: [
      {
        name: 'timezone',
        in: 'path',
        required: true,
        description: 'Name in the IANA time zone database',
        schema: { type: 'string' },
      },
    ],
    reply: replyWith(what),
    responses: { 200: { description: `\`${what}\` and \`timezone\`` }, 404: { description: 'Unknown time zone' } },
    examples: [
      { name: 'Kolkata', path: `/${what}/Asia/Kolkata`, expectStatus: 200 },
      { name: 'Unknown zone', path: `/${what}/Mars/Olympus`, expectStatus: 404 },
    ],
  }
}

export function registerClock(app: FastifyInstance, svc: Svc): void {
  const zoneClock = createZoneClock()
  const timeIn = (zone: string): ZonedTime => {
    const time = zoneClock(zone, new Date())
    if (time === null) throw unknownTimezone(zone)
    return time
  }
  app.get('/date', describe(describeUtc('date')), (request, reply) => {
    return svc.http.negotiate(request, reply, { date: new Date().toISOString().slice(0, 10), timezone: 'UTC' })
  })
  app.get<{ Params: { '*': string } }>('/date/*', describe(describeZoned('date')), (request, reply) => {
    const timezone = request.params['*']
    return svc.http.negotiate(request, reply, { date: timeIn(timezone).date, timezone })
  })
  app.get('/time', describe(describeUtc('time')), (request, reply) => {
    return svc.http.negotiate(request, reply, { time: new Date().toISOString(), timezone: 'UTC' })
  })
  app.get<{ Params: { '*': string } }>('/time/*', describe(describeZoned('time')), (request, reply) => {
    const timezone = request.params['*']
    return svc.http.negotiate(request, reply, { time: timeIn(timezone).time, timezone })
  })
}
