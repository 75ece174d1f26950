/** The link to a remote MCP server keeps a bounded amount of what its clients ask for. */
import t from 'tap'
import { RemoteLink, type RemoteTarget } from '../../../plugins/mcp/bridge/remote-link.ts'

t.test('the newest 500 resources are followed, however many clients ask for [HARD-14]', async t => {
  const bodies: string[] = []
  const target = {
    requests: {
      send: ({ body }: { body?: string }) => {
        bodies.push(body ?? '')
        return new Promise(() => {})
      },
    },
    revision: 'stateless',
    headers: {},
    forward: [],
    instance: 'test',
    release: '1',
    routedArguments: () => new Map(),
  } as unknown as RemoteTarget
  const link = new RemoteLink(target)
  await link.open({ received() {}, closed() {} })
  for (let index = 0; index < 700; index++) link.follow(`file:///${index}`)
  link.follow('file:///699')
  const { params } = JSON.parse(bodies.at(-1)!) as {
    params: { notifications: { resourceSubscriptions: string[] } }
  }
  const { resourceSubscriptions: followed } = params.notifications
  t.strictSame([followed.length, followed[0], followed.at(-1)], [500, 'file:///200', 'file:///699'])
})
