import Holdfast
@main struct Tool { static func main() {} }
