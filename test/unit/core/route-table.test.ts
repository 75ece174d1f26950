/** The routes of a generation: trees and methods are found when they are needed, and stay right when routes are added. */
import t from 'tap'
import { RouteTable } from '../../../core/http/routes/route-table.ts'
import type { CoreRoute } from '../../../core/http/routes/route-record.ts'

function route(path: string, methods: string[], plugin = 'one'): CoreRoute {
  return { path, methods, plugin, descriptions: [], isFallback: false } as unknown as CoreRoute
}

t.test('a route that is added after a look-up is found, for each method', async t => {
  const table = new RouteTable()
  const item = route('/items/{id}', ['GET', 'PROPFIND'])
  table.add('/items/:id', item)
  t.equal(table.find('GET', '/items/7?x=1'), item)
  t.equal(table.find('PROPFIND', '/items/7'), item)
  t.equal(table.find('POST', '/items/7'), null)
  const other = route('/items/{id}', ['POST'], 'two')
  table.add('/items/:other', other)
  t.equal(table.find('POST', '/items/7'), other)
  const special = route('/items/{id}/special', ['GET'])
  table.add('/items/:id/special', special)
  t.equal(table.find('GET', '/items/7/special'), special)
})

t.test('the methods of a path follow what is added', async t => {
  const table = new RouteTable()
  table.add('/items/:id', route('/items/{id}', ['GET']))
  t.strictSame(table.methodsOf('/items/7?a=b'), ['GET'])
  t.strictSame(table.methodsOf('/items/7'), ['GET'], 'remembered')
  t.strictSame(table.methodsOf('/nothing/7'), [])
  table.add('/items/:id', route('/items/{id}', ['DELETE']))
  table.add('/nothing/:id', route('/nothing/{id}', ['PUT']))
  t.strictSame(table.methodsOf('/items/7'), ['GET', 'DELETE'])
  t.strictSame(table.methodsOf('/nothing/7'), ['PUT'])
})

t.test(
  'a route takes the place of an alias, whatever its parameter is called, and no route that of another',
  async t => {
    const table = new RouteTable()
    const aliased = route('/a/{id}', ['GET'])
    table.addAlias('/a/:id/', aliased)
    const own = route('/a/{name}/', ['GET'], 'two')
    table.add('/a/:name/', own)
    t.equal(table.find('GET', '/a/7/'), own)
    t.throws(() => table.add('/a/:third/', route('/a/{third}/', ['GET'], 'three')), /already registered by two/)
  },
)
