/** Uses the extension point of the plugin `units`. */
import { definePlugin } from 'svc/plugin'
import type {} from '../units/types.ts'

export default definePlugin({
  title: 'Units: Kitchen',
  description: 'Adds units for recipes.',
  paths: [],
  // `units` registers first. If it is disabled, so is this plugin.
  buildsOn: ['units'],
  register(_app, svc) {
    const units = svc.use('units.registry')!
    for (const [name, milliliters] of Object.entries({ ml: 1, tsp: 5, tbsp: 15, cup: 240 }))
      units.add('volume', name, milliliters)
  },
})
