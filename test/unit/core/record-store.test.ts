/** Records that plugins keep for their clients: owners, bounds, and what ends with a record. */
import t from 'tap'
import { createRecords, createTextRecords, RecordTooLong, type StoredRecord } from '../../../core/contract/plugin.ts'
import { pluginState } from '../../support/plugin-state.ts'

interface Note {
  text: string
  isOver: boolean
}

const note = (text: string, isOver = false): Note => ({ text, isOver })

t.test('records belong to a scope, and in public mode to a session', async t => {
  for (const publicMode of [false, true]) {
    const { svc } = pluginState({ publicMode }, { isStrict: true })
    const records = createTextRecords<Note>(svc, svc.state<StoredRecord<string>>('notes', { maxCount: 10 }))
    await records.of('a', 'one').put('x', note('first'))
    t.same(await records.of('a', 'one').get('x'), note('first'))
    t.equal(await records.of('b', 'one').get('x'), undefined, 'another scope')
    t.same(await records.of('a', 'two').get('x'), publicMode ? undefined : note('first'))
    t.equal(await records.of('a', 'two').add('x', note('second')), publicMode, 'its id exists for its owner alone')
    t.equal(await records.of('a', 'two').delete('x'), true)
    t.same(await records.of('a', 'one').peek('x'), publicMode ? note('first') : undefined)
    await records.of('a', 'two').put('y', note('third'))
    t.equal(await records.clear('two'), 1)
    t.equal(await records.clear(null), publicMode ? 1 : 0)
  }
})

t.test('whoever knows its id finds a record with the access of an id, also in public mode', async t => {
  const { svc } = pluginState({ publicMode: true }, { isStrict: true })
  const store = svc.state<StoredRecord<Note>>('notes', { maxCount: 10 })
  const records = createRecords(svc, store, { access: 'id' })
  await records.of('a', 'one').put('x', note('first'))
  t.same(await records.of('a', 'two').change('x', ({ text }) => note(`${text}!`)), note('first!'))
  t.equal(await records.clear('two'), 0, 'it belongs to the session that made it')
  t.equal(await records.clear('one'), 1)
})

t.test('lists have the records of their owner, in the order in which they were made', async t => {
  const { svc } = pluginState({ publicMode: true }, { isStrict: true })
  const store = svc.state<StoredRecord<number>>('numbers', { maxCount: 10, maxPerGroup: 2 })
  const records = createRecords(svc, store)
  for (const [index, session] of ['one', 'two', 'two', 'two'].entries())
    await records.of('a', session).put(`id ${index}`, index)
  t.same(await records.of('a', 'two').list(), [
    { id: 'id 2', value: 2 },
    { id: 'id 3', value: 3 },
  ])
  t.same(await records.of('a', 'two').list({ limit: 1, newestFirst: true }), [{ id: 'id 3', value: 3 }])
  t.same(await records.of('a', 'one').list(), [{ id: 'id 0', value: 0 }])
})

t.test('a record that would be too long stays as it was, and its length is known before it is read', async t => {
  const { svc } = pluginState({ publicMode: false }, { isStrict: true })
  const store = svc.state<StoredRecord<string>>('texts', { maxCount: 10 })
  const texts = createTextRecords<string>(svc, store, { maxCharacters: 10 }).of('a', 'one')
  await t.rejects(texts.put('x', 'a text of many letters'), RecordTooLong)
  t.equal(await texts.get('x'), undefined)
  await texts.put('x', 'short')
  await t.rejects(
    texts.change('x', text => text.repeat(3)),
    { name: 'RecordTooLong', limit: 10 },
  )
  t.equal(await texts.get('x', characters => t.equal(characters, '"short"'.length)), 'short')
  await t.rejects(
    texts.get('x', () => {
      throw new Error('too expensive')
    }),
    { message: 'too expensive' },
  )
  t.equal(await texts.change('y', text => text), undefined, 'no such record')
})

t.test('what ends with a record ends when it is over or removed, not when it changes', async t => {
  const { svc } = pluginState({ publicMode: true })
  const store = svc.state<StoredRecord<string>>('watched', { maxCount: 10, watched: true })
  const records = createTextRecords<Note>(svc, store, { isOver: ({ isOver }) => isOver })
  const own = records.of('a', 'one')
  const ended: string[] = []
  const watch = (id: string): (() => void) => own.ending(id)(() => ended.push(id))
  for (const id of ['changed', 'over', 'deleted', 'left']) {
    await own.put(id, note('x'))
    if (id === 'left') watch(id)()
    else watch(id)
  }
  await own.change('changed', found => ({ ...found, text: 'y' }))
  await own.change('over', found => ({ ...found, isOver: true }))
  await records.of('a', 'two').put('deleted', note('of another session', true))
  t.same(ended, ['over'])
  await own.delete('deleted')
  await own.delete('left')
  t.same(ended, ['over', 'deleted'])
})

t.test('several ids can lead to a record', async t => {
  const { svc } = pluginState({ publicMode: false })
  const store = svc.state<StoredRecord<string>>('items', { maxCount: 10 })
  const records = createTextRecords<string>(svc, store, { idOf: id => id.split('-', 1)[0]! }).of('a', 'one')
  await records.put('r1', 'whole')
  t.equal(await records.get('r1-item'), 'whole')
  t.equal(await records.delete('r1-item'), true)
  t.equal(await records.get('r1'), undefined)
})
