/** Guided demos: the list, one of them with its run, and the presenter's page. */
import { route } from '../lib/shell/router.ts'
import { DemoList } from './demos/list.tsx'
import { DemoPage } from './demos/page.tsx'
import { Presentation } from './demos/presentation.tsx'

export default function Demos() {
  const [demo, page] = route.value.path
  if (demo === undefined || demo === '') return <DemoList />
  return page === 'present' ? <Presentation key={demo} name={demo} /> : <DemoPage key={demo} name={demo} />
}
