import Testing
import HoldfastConformance
@Test func placeholder() { }
