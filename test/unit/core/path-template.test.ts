/** Path templates: their parameters, the values in a path, a path of values. */
import t from 'tap'
import {
  fillTemplate,
  readParameters,
  renameParameters,
  replaceParameters,
  templateParameters,
  templatePattern,
  templateShape,
} from '../../../core/toolkit/path-template.ts'

t.test('parameters and shape', async t => {
  t.same(templateParameters('/a/{b}.{c}/{*d}'), [
    { name: 'b', isWildcard: false },
    { name: 'c', isWildcard: false },
    { name: 'd', isWildcard: true },
  ])
  t.same(templateParameters('/a/{}/{'), [])
  t.equal(templateShape('/a/{b}/{*c}'), '/a/{}/{}')
  t.equal(renameParameters('/a/{b}/{*c}', ['x', 'y']), '/a/{x}/{y}')
  t.equal(
    replaceParameters('/a/{b}/{*c}', ({ name, isWildcard }, index) => `${index}${name}${isWildcard}`),
    '/a/0bfalse/1ctrue',
  )
})

t.test('values are decoded when read, and can fill the template again', async t => {
  const rows: [template: string, path: string, values: string[] | null][] = [
    ['/echo', '/echo', []],
    ['/echo', '/echo/', null],
    ['/status/{code}', '/status/200', ['200']],
    ['/status/{code}', '/status/', ['']],
    ['/status/{code}', '/status/a/b', null],
    ['/echo/{*path}', '/echo/a/b%20c', ['a/b c']],
    ['/a.b/{x}:{y}', '/a.b/1:2', ['1', '2']],
    ['/a.b/{x}', '/axb/1', null],
    ['/{a}/{*b}', '/%C3%A4/x@y/z', ['ä', 'x@y/z']],
  ]
  for (const [template, path, values] of rows) {
    t.same(readParameters(template, path), values, `${template} ${path}`)
    if (values !== null) t.equal(fillTemplate(template, values), path)
  }
  t.same(readParameters('/{a}', '/%zz'), ['%zz'], 'an invalid escape is kept')
  t.equal(fillTemplate('/{a}/{b}', ['x/y']), '/x%2Fy/')
})

t.test('a pattern with other syntaxes', async t => {
  t.same(new RegExp(`^${templatePattern('{model}:embed', { parameter: '.+' })}$`).exec('a/b:embed')?.slice(1), ['a/b'])
})
