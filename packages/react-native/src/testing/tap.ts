import type { Renderer, TestInstance } from 'react-test-renderer';

/** Touches the element of that type as React Native tells of it: each handler from there upwards gets the same event. */
export function tap({ root }: Renderer, type: unknown, [x, y]: [number, number] = [10, 20]): void {
  const target = root.findByType(type);
  const tell = (name: string, pageX: number, pageY: number) => {
    const event = { _targetInst: target._fiber, nativeEvent: { pageX, pageY } };
    for (let at: TestInstance | null = target; at; at = at.parent) {
      const handler = typeof at.type === 'string' ? at.props[name] : undefined;
      if (typeof handler === 'function') handler(event);
    }
  };
  tell('onTouchStart', x, y);
  tell('onTouchEnd', 10, 20);
}
