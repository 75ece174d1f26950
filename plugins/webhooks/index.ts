/** The plugin `webhooks`: creates and verifies signatures. */
import { definePlugin } from 'svc/plugin'
import { registerReceive } from './routes/receive.ts'
import { registerSign } from './routes/sign.ts'
import { registerVerify } from './routes/verify.ts'

export default definePlugin({
  title: 'Webhook signatures',
  description: 'Creates and verifies webhook signatures in three schemes. Does not send webhooks.',
  paths: ['/webhooks'],
  register(app, svc) {
    registerVerify(app, svc)
    registerSign(app, svc)
    registerReceive(app, svc)
  },
})
