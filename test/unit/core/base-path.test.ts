import t from 'tap'
import { withoutBasePath } from '../../../core/http/listener/base-path.ts'

const none = (): boolean => false

t.test('the base path is removed only as whole segments [PREFIX-2]', async t => {
  const rows: [url: string, target: string][] = [
    ['/svc/echo', '/echo'],
    ['/svc/echo?x=/svc/', '/echo?x=/svc/'],
    ['/svc', '/'],
    ['/svc/', '/'],
    ['/svc?x=1', '/?x=1'],
    ['/svc//a%2Fb', '//a%2Fb'],
    ['/svc/svc/echo', '/svc/echo'],
    ['http://host.example/svc/echo', '/echo'],
    ['http://host.example/svc', '/'],
    ['/echo', '/echo'],
    ['/svcx/echo', '/svcx/echo'],
    ['/SVC/echo', '/SVC/echo'],
    ['/x/svc/echo', '/x/svc/echo'],
    ['*', '*'],
    ['http://host.example/echo', 'http://host.example/echo'],
    ['ftp://host.example/svc/echo', 'ftp://host.example/svc/echo'],
    ['', ''],
    ['/', '/'],
  ]
  for (const [url, target] of rows) t.equal(withoutBasePath(url, '/svc', none), target, url)
  t.equal(withoutBasePath('/a/b/echo', '/a/b', none), '/echo')
  t.equal(withoutBasePath('/a/echo', '/a/b', none), '/a/echo')
})

t.test('a well-known path has it after the name [PREFIX-4]', async t => {
  const rows: [url: string, target: string][] = [
    ['/.well-known/oauth-protected-resource/svc/mcp/protected', '/.well-known/oauth-protected-resource/mcp/protected'],
    ['/.well-known/oauth-authorization-server/svc', '/.well-known/oauth-authorization-server'],
    ['/.well-known/oauth-authorization-server/svc?x=1', '/.well-known/oauth-authorization-server?x=1'],
    ['/svc/.well-known/openid-configuration', '/.well-known/openid-configuration'],
    ['/.well-known/openid-configuration', '/.well-known/openid-configuration'],
    ['/.well-known/name/svcx/a', '/.well-known/name/svcx/a'],
    ['/.well-known/svc/a', '/.well-known/svc/a'],
    ['/.well-known/', '/.well-known/'],
  ]
  for (const [url, target] of rows) t.equal(withoutBasePath(url, '/svc', none), target, url)
  // A service at /mcp behind a gateway that strips the prefix: the path is that of the route.
  const own = '/.well-known/oauth-protected-resource/mcp/protected'
  t.equal(
    withoutBasePath(own, '/mcp', url => url === own),
    own,
  )
})
