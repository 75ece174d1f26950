/** Offers an extension point: other plugins add units, this one converts between them. */
import { definePlugin, describe, invalidParameter, readQuery } from 'svc/plugin'
import type { Units } from './types.ts'

export default definePlugin({
  title: 'Units',
  description: 'Converts between units of length and units that other plugins add.',
  paths: ['/units'],
  register(app, svc) {
    // Created in every generation, so the units of a removed plugin disappear.
    const known = new Map<string, { kind: string; factor: number }>()
    const units: Units = {
      add(kind, name, factor) {
        if (known.has(name)) throw new Error(`the unit "${name}" already exists`)
        known.set(name, { kind, factor })
      },
    }
    units.add('length', 'm', 1)
    units.add('length', 'km', 1000)
    svc.offer('units.registry', units)

    app.get(
      '/units',
      describe({
        summary: 'Convert between units',
        category: 'Units',
        parameters: ['value', 'from', 'to'].map(name => ({ name, in: 'query' as const, required: true })),
        examples: [{ name: 'Kilometers', path: '/units?value=2&from=km&to=m', expectStatus: 200 }],
      }),
      request => {
        const query = readQuery(request)
        const [from, to] = ['from', 'to'].map(name => {
          const unit = known.get(query.get(name) ?? '')
          if (unit === undefined) throw invalidParameter(name, `expected one of ${[...known.keys()].join(', ')}`)
          return unit
        }) as [{ kind: string; factor: number }, { kind: string; factor: number }]
        if (from.kind !== to.kind) throw invalidParameter('to', `expected a unit of ${from.kind}`)
        const value = Number(query.get('value') ?? Number.NaN)
        if (!Number.isFinite(value)) throw invalidParameter('value', 'expected a number')
        return { value: (value * from.factor) / to.factor }
      },
    )
  },
})
