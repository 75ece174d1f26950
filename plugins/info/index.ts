/** The plugin `info`: addresses, dates and random values. */
import { definePlugin } from 'svc/plugin'
import { registerAddress } from './routes/address.ts'
import { registerClock } from './routes/clock.ts'
import { registerRandom } from './routes/random.ts'

export default definePlugin({
  title: 'Information and random values',
  description: 'Client address, date and time in any time zone, UUIDs, random numbers and filler text.',
  paths: ['/ip', '/date', '/time', '/uuid', '/guuid', '/random'],
  categories: [{ name: 'Info & Random', rank: 60 }],
  register(app, svc) {
    registerAddress(app, svc)
    registerClock(app, svc)
    registerRandom(app, svc)
  },
})
