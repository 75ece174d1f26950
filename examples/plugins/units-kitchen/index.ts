/** Uses the extension point of another plugin of one's own. */
import { definePlugin } from 'svc/plugin'
import type {} from '../units/types.ts'

export default definePlugin({
  title: 'Units: Kitchen',
  description: 'Adds the units of recipes.',
  paths: [],
  // Registered before this one; without it this one is off too.
  buildsOn: ['units'],
  register(_app, svc) {
    const units = svc.use('units.registry')!
    for (const [name, millilitres] of Object.entries({ ml: 1, tsp: 5, tbsp: 15, cup: 240 }))
      units.add('volume', name, millilitres)
  },
})
